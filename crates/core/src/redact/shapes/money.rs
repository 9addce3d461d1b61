//! Payments and shops.

use crate::redact::alphabet::Alphabet::{Base62, Base64Url, Dotted, Hashed, Hex, Small, Word};
use crate::redact::shape::{Check, Shape, row};

use super::{is_mixed, is_uuid};

pub(super) const SHAPES: &[Shape] = &[
    row("stripe secret key", &["sk_live_"], Base62, 16, 250),
    row("stripe test key", &["sk_test_"], Base62, 16, 250),
    row("stripe restricted key", &["rk_live_", "rk_test_"], Base62, 16, 250),
    row("webhook signing secret", &["whsec_"], Base62, 24, 100),
    row("square access token", &["sq0atp-"], Base64Url, 22, 22),
    row("square access token", &["EAAA"], Base64Url, 60, 60).with(Check::Other(is_mixed)),
    row("square oauth secret", &["sq0csp-"], Base64Url, 43, 43),
    row("shopify access token", &["shpat_"], Hex, 32, 32),
    row("shopify custom app token", &["shpca_"], Hex, 32, 32),
    row("shopify private app token", &["shppa_"], Hex, 32, 32),
    row("shopify shared secret", &["shpss_"], Hex, 32, 32),
    row(
        "plaid token",
        &["access-production-", "access-sandbox-", "access-development-"],
        Base64Url,
        36,
        36,
    )
    .with(Check::Other(is_uuid)),
    row("flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], Base64Url, 32, 40)
        .with(Check::Other(is_mixed)),
    row("mollie key", &["live_"], Base62, 30, 35).with(Check::Other(is_mixed)),
    row("gocardless token", &["live_"], Base64Url, 40, 40).with(Check::Other(is_mixed)),
    row("adyen key", &["AQE"], Base64Url, 150, 260).with(Check::Other(is_mixed)),
    row("mercado pago token", &["APP_USR-", "TEST-"], Base64Url, 60, 80)
        .with(Check::Parts(b'-', &[16, 6, 32, 0])),
    row("checkout.com key", &["sk_", "sk_sbox_"], Small, 26, 26).with(Check::Other(is_mixed)),
    row("easypost key", &["EZAK", "EZTK"], Base62, 54, 54),
    row("duffel token", &["duffel_live_", "duffel_test_"], Base64Url, 43, 43),
    row("shippo token", &["shippo_live_", "shippo_test_"], Hex, 40, 40),
    row("paddle key", &["pdl_live_apikey_", "pdl_sdbx_apikey_"], Word, 40, 80),
    row("adobe client secret", &["p8e-"], Small, 32, 32),
    row("zoho token", &["1000."], Dotted, 65, 65).with(Check::Parts(b'.', &[32, 32])),
    row("braintree token", &["access_token$production$", "access_token$sandbox$"], Hashed, 49, 49)
        .with(Check::Parts(b'$', &[16, 32])),
];
