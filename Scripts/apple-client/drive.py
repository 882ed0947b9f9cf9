# SPDX-License-Identifier: Apache-2.0
"""Drives the simulated App Store with Apple's own client, which knows nothing of Counterfoil.

Usage: drive.py BASE_URL FOLDER, where FOLDER holds the roots and keys of `counterfoil simulate`.
"""

import base64
import json
import sys
import urllib.request

from appstoreserverlibrary.api_client import (
    APIException,
    AppStoreServerAPIClient,
    GetTransactionHistoryVersion,
)
from appstoreserverlibrary.models.ConsumptionRequest import ConsumptionRequest
from appstoreserverlibrary.models.DeliveryStatus import DeliveryStatus
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.models.ExtendReasonCode import ExtendReasonCode
from appstoreserverlibrary.models.ExtendRenewalDateRequest import ExtendRenewalDateRequest
from appstoreserverlibrary.models.MassExtendRenewalDateRequest import MassExtendRenewalDateRequest
from appstoreserverlibrary.models.NotificationHistoryRequest import NotificationHistoryRequest
from appstoreserverlibrary.models.TransactionHistoryRequest import TransactionHistoryRequest
from appstoreserverlibrary.models.UpdateAppAccountTokenRequest import UpdateAppAccountTokenRequest
from appstoreserverlibrary.receipt_utility import ReceiptUtility
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

BUNDLE = "com.example.game"
base, folder = sys.argv[1], sys.argv[2]


def control(verb, **arguments):
    request = urllib.request.Request(
        f"{base}/control/{verb}", data=json.dumps(arguments).encode(), method="POST"
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def root():
    with open(f"{folder}/signed-data-root.pem", encoding="ascii") as file:
        lines = file.read().split("-----")[2].split()
    return base64.b64decode("".join(lines))


with open(f"{folder}/AuthKey.p8", "rb") as file:
    key = file.read()
with open(f"{folder}/key.json", encoding="ascii") as file:
    names = json.load(file)
client = AppStoreServerAPIClient(
    key, names["key_id"], names["issuer_id"], BUNDLE, Environment.SANDBOX
)
client._base_url = base
verifier = SignedDataVerifier([root()], False, Environment.SANDBOX, BUNDLE)
transaction = verifier.verify_and_decode_signed_transaction

control("account", name="foreign")
coins = control("buy", account="foreign", product="coins_100", quantity=2)
gold = control("buy", account="foreign", product="gold_monthly")
assert transaction(coins["signed_transaction"]).quantity == 2

info = transaction(client.get_transaction_info(coins["transaction_id"]).signedTransactionInfo)
assert info.transactionId == coins["transaction_id"] and info.price == 1980

for _ in range(25):
    control("buy", account="foreign", product="coins_100")
page = client.get_transaction_history(
    coins["transaction_id"], None, TransactionHistoryRequest(), GetTransactionHistoryVersion.V2
)
seen = [transaction(text).transactionId for text in page.signedTransactions]
while page.hasMore:
    page = client.get_transaction_history(
        coins["transaction_id"],
        page.revision,
        TransactionHistoryRequest(),
        GetTransactionHistoryVersion.V2,
    )
    seen += [transaction(text).transactionId for text in page.signedTransactions]
assert len(seen) == len(set(seen)) == 27, seen

statuses = client.get_all_subscription_statuses(gold["transaction_id"])
last = statuses.data[0].lastTransactions[0]
assert verifier.verify_and_decode_renewal_info(last.signedRenewalInfo).autoRenewProductId
app = client.get_app_transaction_info(gold["transaction_id"])
assert verifier.verify_and_decode_app_transaction(app.signedAppTransactionInfo).bundleId == BUNDLE

client.set_app_account_token(
    coins["transaction_id"],
    UpdateAppAccountTokenRequest(appAccountToken="6a3c11f6-7b4c-4a4f-9d0e-1f2e3d4c5b6a"),
)
client.send_consumption_information(
    coins["transaction_id"],
    ConsumptionRequest(
        customerConsented=True,
        deliveryStatus=DeliveryStatus.DELIVERED,
        sampleContentProvided=False,
    ),
)
control("refund", transaction=coins["transaction_id"], quantity=1)
refunds = client.get_refund_history(gold["transaction_id"], None)
assert transaction(refunds.signedTransactions[0]).revocationPercentage == 50000
client.finish_transaction(coins["transaction_id"])

control("advance", by="P8D")
extended = client.extend_subscription_renewal_date(
    gold["transaction_id"],
    ExtendRenewalDateRequest(5, ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, "one"),
)
assert extended.success
client.extend_renewal_date_for_all_active_subscribers(
    MassExtendRenewalDateRequest(
        2, ExtendReasonCode.SERVICE_ISSUE_OR_OUTAGE, "all", productId="gold_monthly"
    )
)

token = client.request_test_notification().testNotificationToken
control("state")
status = client.get_test_notification_status(token)
test = verifier.verify_and_decode_notification(status.signedPayload)
assert test.rawNotificationType == "TEST"

now = control("subscription", transaction=gold["transaction_id"])["renewal"]["signedDate"]
request = NotificationHistoryRequest(startDate=now - 86_400_000 * 20, endDate=now + 1000)
history = client.get_notification_history(None, request)
names = []
while True:
    for item in history.notificationHistory:
        payload = verifier.verify_and_decode_notification(item.signedPayload)
        names.append(payload.rawNotificationType)
    if not history.hasMore:
        break
    history = client.get_notification_history(history.paginationToken, request)
assert names.count("ONE_TIME_CHARGE") == 26 and "REFUND" in names, names

control("fail", kind="api_error", code=5000001, endpoint="transaction_info", count=1)
control("limit", endpoint="order_lookup", calls_per_hour=0)
for call, code in [
    (lambda: client.get_transaction_info(coins["transaction_id"]), 5000001),
    (lambda: client.get_transaction_info("1"), 4040010),
    (lambda: client.look_up_order_id("M1"), 4290000),
]:
    try:
        call()
        raise AssertionError(f"{code} was expected")
    except APIException as error:
        assert error.raw_api_error == code, error.raw_api_error

receipt = control("receipt", account="foreign")["receipt_data"]
assert ReceiptUtility().extract_transaction_id_from_app_receipt(receipt) in seen
print("Apple's client verified and read everything")
