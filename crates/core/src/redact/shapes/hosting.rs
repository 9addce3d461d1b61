//! Where code and packages lie, and what builds them.

use crate::redact::alphabet::Alphabet::{
    Base62, Base64, Base64Url, Dotted, Hex, Small, Wide, Word,
};
use crate::redact::shape::{Check, Shape, row};

use super::is_mixed;

pub(super) const SHAPES: &[Shape] = &[
    row("github token", &["ghp_"], Base62, 36, 255).with(Check::Checksum),
    row("github oauth token", &["gho_"], Base62, 36, 255).with(Check::Checksum),
    row("github app token", &["ghu_", "ghs_"], Base62, 36, 255).with(Check::Checksum),
    row("github refresh token", &["ghr_"], Base62, 36, 255).with(Check::Checksum),
    row("github fine-grained token", &["github_pat_"], Word, 82, 82)
        .with(Check::Parts(b'_', &[22, 59])),
    row("github app token", &["ghs_"], Dotted, 60, 2000).with(Check::Other(has_dots)),
    row("gitlab token", &["glpat-"], Dotted, 20, 400),
    row("gitlab deploy token", &["gldt-"], Dotted, 20, 400),
    row("gitlab runner token", &["glrt-", "glrtr-"], Dotted, 20, 400),
    row("gitlab runner token", &["GR1348941"], Base64Url, 20, 60),
    row("gitlab job token", &["glcbt-"], Dotted, 20, 400),
    row("gitlab trigger token", &["glptt-"], Dotted, 20, 400),
    row("gitlab feed token", &["glft-"], Dotted, 20, 400),
    row("gitlab mail token", &["glimt-"], Dotted, 20, 400),
    row("gitlab agent token", &["glagent-"], Dotted, 40, 400),
    row("gitlab scim token", &["glsoat-"], Dotted, 20, 400),
    row("gitlab feature flag token", &["glffct-"], Dotted, 20, 400),
    row("gitlab oauth secret", &["gloas-"], Base64Url, 64, 64),
    row("bitbucket app password", &["ATBB"], Base62, 32, 32).with(Check::Other(is_mixed)),
    row("bitbucket data center token", &["BBDC-"], Base64, 40, 50),
    row("bitbucket access token", &["ATCTT3"], Dotted, 150, 250),
    // npm announced a checksum too, but published no example to try one against: any will do.
    row("npm token", &["npm_"], Base62, 36, 36).with(Check::Other(is_mixed)),
    row("pypi token", &["pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBpLm9yZ"], Base64Url, 50, 1000),
    row("rubygems token", &["rubygems_"], Hex, 48, 48),
    row("crates.io token", &["cio"], Base62, 32, 32).with(Check::Other(is_mixed)),
    row("docker token", &["dckr_pat_"], Base64Url, 27, 36),
    row("docker organisation token", &["dckr_oat_"], Base64Url, 27, 40),
    row("clojars token", &["CLOJARS_"], Small, 60, 60),
    row("artifactory key", &["AKCp"], Base62, 69, 69),
    row("artifactory reference token", &["cmVmd"], Base62, 59, 59),
    row("sourcegraph token", &["sgp_"], Word, 40, 64).with(Check::Other(is_mixed)),
    row("buildkite token", &["bkua_"], Hex, 40, 40),
    row("circleci token", &["CCIPAT_", "CCIPRJ_"], Word, 60, 70).with(Check::Other(is_mixed)),
    row("chromatic token", &["chpt_"], Base62, 12, 20),
    row("expo token", &["expo_"], Base64Url, 40, 40).with(Check::Other(is_mixed)),
    row("jsr token", &["jsrp_", "jsrd_"], Small, 40, 48),
    row("sonar token", &["squ_", "sqp_", "sqa_"], Hex, 40, 40),
    row("snyk token", &["snyk_uat.", "snyk_sat."], Dotted, 30, 300),
    row("deno deploy token", &["ddp_", "ddo_"], Base62, 36, 40),
    row("jetbrains token", &["perm:", "perm-"], Wide, 40, 200).with(Check::Parts(b'.', &[0, 0, 0])),
    row("postman key", &["PMAK-"], Base64Url, 59, 59).with(Check::Parts(b'-', &[24, 34])),
    row("harness token", &["pat.", "sat."], Dotted, 68, 68).with(Check::Parts(b'.', &[22, 24, 20])),
    row("readme key", &["rdme_"], Small, 70, 70),
    row("polar token", &["polar_pat_", "polar_oat_"], Base62, 30, 60),
    row("val town token", &["vtwn_"], Base62, 24, 60),
    row("wakatime key", &["waka_"], Base64Url, 36, 36).with(Check::Other(super::is_uuid)),
];

fn has_dots(body: &[u8]) -> bool {
    body.iter().filter(|byte| **byte == b'.').count() == 2
}
