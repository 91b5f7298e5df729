/* Gradus. Licences of the libraries in it: licenses.txt */
(()=>{document.querySelector("form[data-submit-at-once]")?.submit();})();
