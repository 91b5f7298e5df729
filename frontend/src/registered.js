// Tells the LMS that the tool is registered, so that it closes the frame or the window with this page. There is nothing secret
// in the message, and the page of the LMS may be on another host than its issuer.

(window.opener ?? window.parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");
