// For every page: htmx and site-wide behaviour. Everything here is optional: without scripts, pages can be read and forms sent.

import "./site/htmx.js";
import "./site/request-errors.js";
import "./site/announcements.js";
import "./site/live-result.js";
import "./site/lazy-assets.js";
import "./site/theme.js";
import "./site/countdown.js";
import "./site/jump-bar.js";
