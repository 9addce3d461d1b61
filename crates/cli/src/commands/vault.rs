//! How a command line says which text of which MemoryVault it means.

use std::path::PathBuf;

use clap::Args;
use segue_lib::KeyFrom;
use segue_lib::sharing::{ApiKey, GivenKey, VaultRequest};

use crate::host;

/// Which text of which MemoryVault: shared by push and pull.
#[derive(Args, Debug)]
pub(crate) struct VaultArgs {
    /// Directory that it is about [default: the current one]
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Name of the agent; the key in MemoryVault is handoff/NAME/latest
    #[arg(long, default_value = "agent")]
    name: String,
    /// API key. Every user of this machine can see it here: set MEMORYVAULT_API_KEY instead
    // Any text is taken here: a parser that refuses would repeat the key.
    #[arg(long, value_name = "KEY", value_parser = clap::value_parser!(ApiKey))]
    api_key: Option<ApiKey>,
}

impl VaultArgs {
    pub(crate) fn request(&self) -> VaultRequest {
        let flag = self.api_key.clone().map(|key| GivenKey { key, from: KeyFrom::Flag });
        let variable = || {
            let key = ApiKey::new(&host::variable(host::VAULT_KEY)?);
            Some(GivenKey { key, from: KeyFrom::Variable })
        };
        let mut request = VaultRequest::default();
        request.name = Some(self.name.clone());
        request.api_key = flag.or_else(variable);
        request.url = host::variable(host::VAULT_URL);
        request
    }
}
