// What every page has: htmx, and the few behaviours that belong to the whole site. Everything here is an addition:
// a page whose script never arrives can still be read, and its forms still be sent.

import "./site/htmx.js";
import "./site/answers.js";
import "./site/live.js";
import "./site/needs.js";
import "./site/theme.js";
import "./site/countdown.js";
import "./site/jump.js";
