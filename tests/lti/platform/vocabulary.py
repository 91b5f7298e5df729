"""Names from the LTI 1.3 specifications: claims, roles, scopes and media types."""

VERSION = "1.3.0"
LTI = "https://purl.imsglobal.org/spec/lti/claim/"
DEEP_LINKING = "https://purl.imsglobal.org/spec/lti-dl/claim/"
GRADES_CLAIM = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
MEMBERSHIPS_CLAIM = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
GROUPS_CLAIM = "https://purl.imsglobal.org/spec/lti-gs/claim/groupsservice"
PLATFORM_CONFIGURATION = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL_CONFIGURATION = "https://purl.imsglobal.org/spec/lti-tool-configuration"
CANVAS_SUBMISSION = "https://canvas.instructure.com/lti/submission"

RESOURCE_LINK = "LtiResourceLinkRequest"
DEEP_LINK = "LtiDeepLinkingRequest"
DEEP_LINK_RESPONSE = "LtiDeepLinkingResponse"
SUBMISSION_REVIEW = "LtiSubmissionReviewRequest"

_GRADES = "https://purl.imsglobal.org/spec/lti-ags/scope/"
LINE_ITEM_SCOPE = _GRADES + "lineitem"
LINE_ITEM_READ_SCOPE = _GRADES + "lineitem.readonly"
RESULT_SCOPE = _GRADES + "result.readonly"
SCORE_SCOPE = _GRADES + "score"
GRADES_SCOPES = (LINE_ITEM_SCOPE, LINE_ITEM_READ_SCOPE, RESULT_SCOPE, SCORE_SCOPE)
MEMBERSHIPS_SCOPE = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
GROUPS_SCOPE = "https://purl.imsglobal.org/spec/lti-gs/scope/contextgroup.readonly"
ALL_SCOPES = (*GRADES_SCOPES, MEMBERSHIPS_SCOPE, GROUPS_SCOPE)

LINE_ITEM_TYPE = "application/vnd.ims.lis.v2.lineitem+json"
LINE_ITEMS_TYPE = "application/vnd.ims.lis.v2.lineitemcontainer+json"
SCORE_TYPE = "application/vnd.ims.lis.v1.score+json"
RESULTS_TYPE = "application/vnd.ims.lis.v2.resultcontainer+json"
MEMBERSHIPS_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
GROUPS_TYPE = "application/vnd.ims.lti-gs.v1.contextgroupcontainer+json"

ACTIVITY_PROGRESS = ("Initialized", "Started", "InProgress", "Submitted", "Completed")
GRADING_PROGRESS = ("FullyGraded", "Pending", "PendingManual", "Failed", "NotReady")

_MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
ROLES: dict[str, tuple[str, ...]] = {  # what a platform sends for a member with this role
    "Learner": (_MEMBERSHIP + "#Learner",),
    "Instructor": (_MEMBERSHIP + "#Instructor",),
    "TeachingAssistant": (_MEMBERSHIP + "#Instructor", _MEMBERSHIP + "/Instructor#TeachingAssistant"),
    "ContentDeveloper": (_MEMBERSHIP + "#ContentDeveloper",),
    "Mentor": (_MEMBERSHIP + "#Mentor",),
    "Administrator": (
        "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator",
        "http://purl.imsglobal.org/vocab/lis/v2/system/person#Administrator",
    ),
    "TestUser": (_MEMBERSHIP + "#Learner", "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"),
}


def role_uris(names: list[str]) -> list[str]:
    return [uri for name in names for uri in ROLES[name]]
