// Merges two changes of the same text. Returns undefined if they are in the same lines, which only a person can merge.
export function merged(base, mine, theirs) {
  const before = base.split("\n");
  const changes = [mine, theirs].map((text) => changeOf(before, text.split("\n")));
  const [first, second] = changes.sort((a, b) => a.from - b.from || a.to - b.to);
  const samePlace = first.from === second.from && first.to === second.to;
  if (first.to > second.from || samePlace) return undefined;
  before.splice(second.from, second.to - second.from, ...second.lines);
  before.splice(first.from, first.to - first.from, ...first.lines);
  return before.join("\n");
}

// The lines between the common beginning and the common end of two texts.
function changeOf(before, after) {
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, lines: after.slice(from, after.length - same) };
}
