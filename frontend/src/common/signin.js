// Where one signs in, and whether an answer came from there instead of from the page that was asked.

export function signinUrl() {
  const path = document.querySelector("meta[name=signin-url]")?.content ?? "/sign-in/";
  return `${path}?next=${encodeURIComponent(location.pathname)}`;
}

export function isSignedOut(status, answeredBy) {
  if (status === 401) return true;
  if (!answeredBy) return false;
  return new URL(answeredBy, location.href).pathname === new URL(signinUrl(), location.href).pathname;
}
