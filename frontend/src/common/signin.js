// The address of the sign-in page, and whether a response came from there instead of from the requested page.

export function signinUrl() {
  const path = document.querySelector("meta[name=signin-url]")?.content ?? "/sign-in/";
  return `${path}?next=${encodeURIComponent(location.pathname)}`;
}

export function isSignedOut(status, responseUrl) {
  if (status === 401) return true;
  if (!responseUrl) return false;
  return new URL(responseUrl, location.href).pathname === new URL(signinUrl(), location.href).pathname;
}
