// The error message that the server wrote for the user as plain text; "" for an HTML page or anything long.

const MAX_LENGTH = 500;

export function errorText(xhr) {
  const plain = xhr.getResponseHeader("Content-Type")?.startsWith("text/plain");
  return plain && xhr.responseText.length <= MAX_LENGTH ? xhr.responseText.trim() : "";
}
