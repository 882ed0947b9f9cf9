# SPDX-License-Identifier: Apache-2.0
"""Gives schemathesis requests that can succeed, and counts what each operation answered.

COUNTERFOIL_FUZZ names a folder. Its fixtures.json maps ids of operations to whole requests, each with
any of "path", "query" and "body"; every second request that is meant to be valid takes the place of one
of them. What was answered is written to hits.json there: per operation, how often each status came.
"""

import atexit
import collections
import itertools
import json
import os
import pathlib

import schemathesis

FOLDER = pathlib.Path(os.environ["COUNTERFOIL_FUZZ"])
FIXTURES = json.loads((FOLDER / "fixtures.json").read_text())

hits = collections.defaultdict(collections.Counter)
turns = collections.defaultdict(itertools.count)


def operation_id(case):
    return case.operation.definition.raw["operationId"]


def is_valid(case):
    """Whether the request is meant to be valid; others must not be touched."""
    return case.meta is None or case.meta.generation.mode.value == "positive"


@schemathesis.hook
def before_call(context, case, kwargs):
    name = operation_id(case)
    requests = FIXTURES.get(name)
    if not requests or not is_valid(case):
        return
    turn = next(turns[name])
    if turn % 2:
        return
    request = requests[turn // 2 % len(requests)]
    if "path" in request:
        case.path_parameters = dict(request["path"])
    case.query = dict(request.get("query", {}))
    case.cookies = {}
    if "body" in request:
        case.body = request["body"]
        case.media_type = "application/json"
    # A name that it gave to another request would be refused, as it should.
    case.headers.pop("Idempotency-Key", None)


@schemathesis.hook
def after_call(context, case, response):
    hits[operation_id(case)][response.status_code] += 1


@atexit.register
def write():
    (FOLDER / "hits.json").write_text(json.dumps(hits))
