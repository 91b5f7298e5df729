// What the server wrote for the reader of a page; never a page of HTML.

const SHORT = 500;

export function plainSentence(xhr) {
  const plain = xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  return plain && xhr.responseText.length <= SHORT ? xhr.responseText.trim() : "";
}
