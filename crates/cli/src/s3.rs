//! Where files are kept if not in a folder: options of an S3-compatible store, named as Amazon's and Convex's are.

use clap::Args;
use clap::builder::FalseyValueParser;
use convex_wasm_storage::BucketOptions;

/// A bucket and the keys to it.
#[derive(Args)]
pub struct S3Options {
    /// Bucket of an S3-compatible store in which files are kept, instead of a folder beside the database.
    #[arg(long, env = "S3_STORAGE_FILES_BUCKET", value_name = "NAME")]
    s3_bucket: Option<String>,
    /// Address of the store; Amazon's own if there is none.
    #[arg(long, env = "S3_ENDPOINT_URL", value_name = "URL", requires = "s3_bucket")]
    s3_endpoint: Option<String>,
    /// Names the bucket in the path of addresses, not in the host.
    #[arg(long, env = "AWS_S3_FORCE_PATH_STYLE", value_parser = FalseyValueParser::new())]
    s3_path_style: bool,
    /// Region of the store.
    #[arg(long, env = "AWS_REGION", value_name = "NAME", default_value = "us-east-1")]
    s3_region: String,
    /// Id of the access key.
    #[arg(long, env = "AWS_ACCESS_KEY_ID", value_name = "ID", hide_env_values = true, default_value = "")]
    s3_access_key_id: String,
    /// The access key.
    #[arg(long, env = "AWS_SECRET_ACCESS_KEY", value_name = "KEY", hide_env_values = true, default_value = "")]
    s3_secret_access_key: String,
    /// Token of temporary access keys.
    #[arg(long, env = "AWS_SESSION_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    s3_session_token: Option<String>,
}

impl S3Options {
    /// The bucket, if one was named.
    pub fn bucket(self) -> Option<BucketOptions> {
        Some(BucketOptions {
            name: self.s3_bucket?,
            region: self.s3_region,
            endpoint: self.s3_endpoint,
            path_style: self.s3_path_style,
            access_key_id: self.s3_access_key_id,
            secret_access_key: self.s3_secret_access_key,
            session_token: self.s3_session_token,
        })
    }
}
