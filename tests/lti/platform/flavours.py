"""How four LMSs differ. Each trait was seen in the LMS, its source, its documentation or reports about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Flavour:
    family: str  # `product_family_code`; also selects the rules for scores
    version: str
    line_items_path: str
    memberships_path: str
    issuer: str | None = None  # without one, the address of the platform is the issuer
    audience: str | None = None  # of client assertions, where it is not the token URL
    line_item_suffix: str = ""
    needs_type_id: bool = False  # service URLs have a query string, and requests without it are refused
    numeric_ids: bool = False
    storage_target: str | None = None  # the frame that answers storage messages; without one, there is no storage
    storage_target_in_launch: bool = True  # not only in the login
    page_size: int | None = None  # entries per page if the tool does not ask for a number; without one, all of them
    curly_quotes: bool = False  # in `Link` headers of line items and results
    wrong_media_type: int = 415
    exact_media_type: bool = False  # a content type with parameters, such as a charset, is refused
    unknown_client: int = 401
    lists_inactive: bool = True
    has_groups: bool = False
    instructor_grade_stays: bool = True  # a later score of the tool does not replace a grade entered by an instructor
    results_have_comments: bool = True
    activated_at_once: bool = True  # a tool that registered dynamically can be used without an administrator's consent


MOODLE = Flavour(
    family="moodle",
    version="2024100700",
    line_items_path="/mod/lti/services.php/{context}/lineitems",
    memberships_path="/mod/lti/services.php/CourseSection/{context}/memberships",
    line_item_suffix="/lineitem",
    needs_type_id=True,
    numeric_ids=True,
    curly_quotes=True,
    wrong_media_type=400,
    exact_media_type=True,
    unknown_client=400,
    lists_inactive=False,
    activated_at_once=False,
)
CANVAS = Flavour(
    family="canvas",
    version="cloud",
    line_items_path="/api/lti/courses/{context}/line_items",
    memberships_path="/api/lti/courses/{context}/names_and_roles",
    issuer="https://canvas.instructure.com",
    storage_target="post_message_forwarding",
    page_size=10,
    has_groups=True,
    instructor_grade_stays=False,
)
BLACKBOARD = Flavour(
    family="BlackboardLearn",
    version="3900.100.0",
    line_items_path="/learn/api/v1/lti/courses/{context}/lineItems",
    memberships_path="/learn/api/v1/lti/external/namesandroles/{context}",
    issuer="https://blackboard.com",
    storage_target="lti_storage_frame",
    storage_target_in_launch=False,
    page_size=100,
    results_have_comments=False,
)
BRIGHTSPACE = Flavour(
    family="desire2learn",
    version="10.8.0",
    line_items_path="/d2l/api/lti/ags/2.0/orgunit/{context}/lineitems",
    memberships_path="/d2l/api/lti/nrps/2.0/orgunit/{context}/memberships",
    audience="https://api.brightspace.com/auth/token",
    storage_target="_parent",
    page_size=100,
    instructor_grade_stays=False,
)
