"""The classes of lti1p3platform, with what they leave to an LMS: who and what there is. See `existing_platform`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.template import Context as TemplateContext
from django.template import Engine
from lti1p3platform.exceptions import LineItemNotFoundException
from lti1p3platform.framework.django.oidc_login import DjangoAPIOIDCLogin
from lti1p3platform.framework.django.request import DjangoRequest
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.membership import Context
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.registration import Registration
from lti1p3platform.score import UpdateScoreStatus
from lti1p3platform.service_connector import AssignmentsGradesService, NamesRoleProvisioningService

if TYPE_CHECKING:
    from tests.lti.existing_platform import ExistingPlatform

Json = dict[str, Any]
ROLE = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
COURSE = "http://purl.imsglobal.org/vocab/lis/v2/course#CourseOffering"
DEEP_LINK = "deep-link"  # the message hint of a request for links; that of a link is its ID
LAUNCH_PAGE = files("lti1p3platform") / "framework" / "templates"


# -- what there is ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    sub: str
    name: str
    role: str

    @property
    def member(self) -> Json:
        return {"user_id": self.sub, "roles": [ROLE + self.role], "name": self.name, "email": f"{self.sub}@school.example"}


@dataclass(frozen=True)
class Link:
    id: str
    title: str
    url: str
    custom: Json = field(default_factory=dict)
    column: Json | None = None  # its line item


@dataclass
class Course:
    id: str
    title: str
    label: str
    people: dict[str, Person] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    line_items: dict[str, Json] = field(default_factory=dict)
    scores: dict[str, dict[str, list[Json]]] = field(default_factory=dict)  # by line item and `sub`
    page_size: int = 100

    def page(self, entries: Sequence[Json], page: int, limit: int | None) -> Json:
        size = min(limit or self.page_size, self.page_size)
        end = page * size
        return {"content": list(entries[end - size : end]), "has_next": len(entries) > end}


@dataclass(frozen=True)
class Tool:
    """What an administrator copies from Gradus."""

    login_url: str
    launch_url: str
    key_set_url: str


# -- the library's classes -------------------------------------------------------------------------------------------------


class Config(LTI1P3PlatformConfAbstract):
    """Made for each request, as in the library's example: it keeps the first key set of the tool that it has fetched."""

    def init_platform_config(self, platform: "ExistingPlatform") -> None:
        self.platform, tool = platform, platform.tool
        self._registration = (
            Registration()
            .set_iss(platform.url)
            .set_client_id("gradus")
            .set_deployment_id("1")
            .set_oidc_login_url(tool.login_url)
            .set_launch_url(tool.launch_url)
            .set_deeplink_launch_url(tool.launch_url)
            .set_tool_key_set_url(tool.key_set_url)
            .set_platform_public_key(platform.public_key)
            .set_platform_private_key(platform.private_key)
        )

    def get_registration_by_params(self, **params: Any) -> Any:
        return self._registration


class Login(DjangoAPIOIDCLogin):
    def set_lti_message_hint(self, hint: str) -> None:
        self._lti_message_hint = hint


class Launch(LTIAdvantageMessageLaunchAbstract):
    def prepare_launch(self, preflight_response: Json) -> None:
        platform = self._platform_config.platform
        course, hint = platform.course, preflight_response["lti_message_hint"]
        person = course.people[preflight_response["login_hint"]]
        member = person.member
        self.set_user_data(person.sub, member["roles"], person.name, member["email"])
        self.set_launch_context_claim(course.id, [COURSE], course.title, course.label)
        self.set_launch_presentation_claim("window", f"{platform.url}/course")
        self.set_nrps(f"{platform.url}/members")
        if hint == DEEP_LINK:
            self.set_dl(f"{platform.url}/links", "Add content", extra_data=platform.deep_link_data)
            self.set_ags(f"{platform.url}/lineitems")
            return
        link = course.links[hint]
        self.set_launch_url(link.url)
        self.set_resource_link_claim(link.id, title=link.title)
        self.set_custom_parameters_claim(link.custom)
        self.set_ags(f"{platform.url}/lineitems", link.column["id"] if link.column else None)

    def render_launch_form(self, launch_data: Json, **kwargs: Any) -> HttpResponse:
        page = Engine(dirs=[str(LAUNCH_PAGE)]).get_template("launch.html")
        return HttpResponse(page.render(TemplateContext(launch_data)))


class ServiceRequest(DjangoRequest):
    def build_metadata(self, request: HttpRequest) -> Any:
        found = super().build_metadata(request)
        query = found["get_data"]
        found["get_data"] = query | {name: int(query[name]) for name in ("page", "limit") if name in query}
        return found


class Gradebook(AssignmentsGradesService):
    @property
    def course(self) -> Course:
        course: Course = self.platform_config.platform.course
        return course

    def find_lineitems(self, page: int = 1, limit: int | None = None, **wanted: str) -> Json:
        names = {"resource_id": "resourceId", "resource_link_id": "resourceLinkId", "tag": "tag"}
        items = self.course.line_items.values()
        found = [item for item in items if all(item.get(names[name]) == value for name, value in wanted.items())]
        return self.course.page(found, page, limit)

    def find_lineitem(self, line_item_id: str) -> Json:
        if line_item_id not in self.course.line_items:
            raise LineItemNotFoundException
        return self.course.line_items[line_item_id]

    def create_lineitem(self, creation_data: Json) -> Json:
        return self.platform_config.platform.add_line_item(creation_data)  # type: ignore[no-any-return]

    def update_lineitem(self, update_data: Json) -> Json:
        item = self.find_lineitem(update_data["id"])
        item.update(update_data | {"id": item["id"]})
        return item

    def delete_lineitem(self, line_item_id: str) -> None:
        self.find_lineitem(line_item_id)
        del self.course.line_items[line_item_id]

    def update_score(self, line_item_id: str, score: Json) -> UpdateScoreStatus:
        self.find_lineitem(line_item_id)
        person = self.course.people.get(score["userId"])
        if person is None or person.role != "Learner":
            return UpdateScoreStatus.NOTAPPLIED  # status 403
        scores = self.course.scores.setdefault(line_item_id, {}).setdefault(score["userId"], [])
        if scores and _moment(score) <= _moment(scores[-1]):
            return UpdateScoreStatus.OLD_TIMESTAMP
        scores.append(score)
        return UpdateScoreStatus.CREATED if len(scores) == 1 else UpdateScoreStatus.SUCCESS

    def get_results(self, line_item_id: str, page: int = 1, limit: int | None = None, user_id: str | None = None) -> Json:
        item = self.find_lineitem(line_item_id)
        last = {sub: scores[-1] for sub, scores in self.course.scores.get(line_item_id, {}).items()}
        results = [_result(item["id"], score) for sub, score in last.items() if user_id in (None, sub)]
        return self.course.page(results, page, limit)


def _moment(score: Json) -> datetime:
    return datetime.fromisoformat(score["timestamp"])


def _result(line_item: str, score: Json) -> Json:
    fields = {"resultScore": "scoreGiven", "resultMaximum": "scoreMaximum", "comment": "comment"}
    values = {name: score[given] for name, given in fields.items() if given in score}
    return {"id": f"{line_item}/results/{score['userId']}", "scoreOf": line_item, "userId": score["userId"], **values}


class Members(NamesRoleProvisioningService):
    @property
    def course(self) -> Course:
        course: Course = self.platform_config.platform.course
        return course

    def get_context_by_id(self) -> Context:
        return Context(self.course.id, self.course.label, self.course.title)

    def get_member_data_page(
        self, page: int = 1, limit: int | None = None, role: str | None = None, since: str | None = None
    ) -> Json:
        members = [person.member for person in self.course.people.values()]
        return self.course.page([member for member in members if role is None or role in member["roles"]], page, limit)
