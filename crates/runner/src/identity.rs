//! Who a call acts for.

use std::sync::Arc;

use serde_json::Value as Json;

/// The caller of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// Nobody in particular.
    Anonymous,
    /// Somebody whom a provider that the app trusts vouches for.
    User {
        /// What functions see of them, with `tokenIdentifier`.
        attributes: Arc<Json>,
    },
    /// The holder of an admin key.
    Admin {
        /// Attributes of the user the admin acts as, with `tokenIdentifier`.
        acting_as: Option<Json>,
    },
}

impl Identity {
    /// Whether internal functions may be called.
    pub fn is_admin(&self) -> bool {
        matches!(self, Self::Admin { .. })
    }

    /// What `ctx.auth.getUserIdentity()` gives: a user's attributes or null.
    pub fn user(&self) -> Json {
        match self {
            Self::Anonymous | Self::Admin { acting_as: None } => Json::Null,
            Self::User { attributes } => (**attributes).clone(),
            Self::Admin { acting_as: Some(user) } => user.clone(),
        }
    }
}
