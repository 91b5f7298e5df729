/* Gradus. Licences of the libraries in it: licenses.txt */
(()=>{var e=document.querySelector("[data-compare]");if(e){let n=e.querySelector("button"),t=()=>{n.disabled=e.querySelectorAll(":checked").length!==2};e.addEventListener("change",t),addEventListener("pageshow",t)}})();
