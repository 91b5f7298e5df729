/* Gradus. Licences of the libraries in it: licenses.txt */
(()=>{(window.opener??window.parent).postMessage({subject:"org.imsglobal.lti.close"},"*");})();
