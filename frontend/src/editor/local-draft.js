// A copy in localStorage of what is not on the server yet. The key contains the student as well as the exercise, so that
// the next user of this browser does not find somebody else's code in the editor.

export class LocalDraft {
  constructor(key) {
    this.key = `gradus:draft:${key}`;
  }

  // Returns whether it was stored: a browser may have no space, or refuse to store anything.
  put(draft) {
    try {
      localStorage.setItem(this.key, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  get() {
    try {
      const draft = JSON.parse(localStorage.getItem(this.key));
      return typeof draft?.source === "string" ? { unanswered: [], ...draft } : null;
    } catch {
      return null;
    }
  }

  clear() {
    try {
      localStorage.removeItem(this.key);
    } catch {
      // then nothing could be stored either
    }
  }
}
