// The token is read at the moment of sending, because signing in again in another tab changes it.

export function csrfToken() {
  const cookie = document.cookie.match(/(?:^|; )(?:__Host-|__Secure-)?csrftoken=([^;]+)/);
  return cookie ? cookie[1] : (document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "");
}
