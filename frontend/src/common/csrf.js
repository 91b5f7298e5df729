// Signing in again in another tab changes the token of the whole site, so it is read when something is sent, not before.

export function csrfToken() {
  const cookie = document.cookie.match(/(?:^|; )(?:__Host-|__Secure-)?csrftoken=([^;]+)/);
  return cookie ? cookie[1] : (document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "");
}
