/* Gradus. Licences of the libraries in it: licenses.txt */
(()=>{document.addEventListener("keydown",e=>{if(!e.altKey||!e.shiftKey||e.ctrlKey||e.metaKey)return;let t={ArrowLeft:"prev",ArrowRight:"next"}[e.key],r=t&&document.querySelector(`main a[rel=${t}]`);!r||e.target.matches("input, textarea, select")||(e.preventDefault(),r.click())});})();
