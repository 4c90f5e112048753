//! The server: `s3s-fs` on a port of the loopback, in this same binary started again.

use std::{
    convert::Infallible,
    env, fs,
    io::{self, BufRead, BufReader, Read},
    net::Ipv4Addr,
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::Arc,
    thread,
};

use futures_util::TryStreamExt;
use hyper::{Method, server::conn::http1, service::Service};
use hyper_util::rt::TokioIo;
use object_store::{ObjectStore as Objects, aws::AmazonS3Builder};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use tempfile::TempDir;
use tokio::{net::TcpListener, sync::RwLock};
use tool_runtime::ObjectStore;

const ROLE: &str = "OBJECT_TEST_ROLE";
const BUCKET: &str = "artifacts";
const KEY: &str = "AKIDTEST";
const SECRET: &str = "test-secret";

pub(crate) struct Server {
    pub(crate) root: TempDir,
    port: u16,
    process: Child,
    /// The server ends when this does, also if the test is killed.
    _alive: ChildStdin,
}

impl Server {
    pub(crate) fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(BUCKET)).unwrap();
        Self::start_at(root)
    }

    fn start_at(root: TempDir) -> Self {
        let mut process = child("server", &root.path().to_string_lossy()).stdin(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| line.strip_prefix(ANSWER)?.parse().ok()).unwrap();
        let alive = process.stdin.take().unwrap();
        Self { root, port, process, _alive: alive }
    }

    /// With SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// The same files, served again.
    pub(crate) fn restart(mut self) -> Self {
        self.kill();
        let root = std::mem::replace(&mut self.root, tempfile::tempdir().unwrap());
        Self::start_at(root)
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What a machine with the right credentials has.
    pub(crate) fn store(&self) -> ObjectStore {
        store_at(&self.endpoint(), KEY, SECRET)
    }

    pub(crate) fn store_with(&self, key: &str, secret: &str) -> ObjectStore {
        store_at(&self.endpoint(), key, secret)
    }

    /// To look behind the store.
    pub(crate) fn objects(&self) -> Arc<dyn Objects> {
        let builder = AmazonS3Builder::new().with_endpoint(self.endpoint()).with_allow_http(true);
        let builder = builder.with_bucket_name(BUCKET).with_access_key_id(KEY).with_secret_access_key(SECRET);
        Arc::new(builder.build().unwrap())
    }

    /// Keys below the store's prefix.
    pub(crate) fn keys(&self) -> Vec<String> {
        let objects = self.objects();
        let listing: Vec<_> = block_on(async { objects.list(None).try_collect().await.unwrap() });
        let mut keys: Vec<_> = listing
            .into_iter()
            .map(|object: object_store::ObjectMeta| {
                object.location.as_ref().strip_prefix("agents/").unwrap().to_owned()
            })
            .collect();
        keys.sort();
        keys
    }

    /// Files of the server's own that belong to uploads which are neither complete nor aborted.
    pub(crate) fn unfinished(&self) -> usize {
        let entries = fs::read_dir(self.root.path()).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".upload")).count()
    }

    pub(crate) fn file(&self, key: &str) -> PathBuf {
        self.root.path().join(BUCKET).join("agents").join(key)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn store_at(endpoint: &str, key: &str, secret: &str) -> ObjectStore {
    let options = [
        ("AWS_ENDPOINT", endpoint),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", key),
        ("AWS_SECRET_ACCESS_KEY", secret),
        ("PATH", "/ignored"),
    ];
    ObjectStore::from_url(&format!("s3://{BUCKET}/agents"), options).unwrap()
}

/// For the endpoint of a server that another process has started.
pub(crate) fn store_of(endpoint: &str) -> ObjectStore {
    store_at(endpoint, KEY, SECRET)
}

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// This binary again, to play a role.
pub(crate) fn child(role: &str, argument: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["server::role", "--exact", "--nocapture"]).env(ROLE, format!("{role} {argument}"));
    command.stdout(Stdio::piped());
    command
}

const ANSWER: &str = "answer: ";

/// What a child that has ended has to say.
pub(crate) fn answer(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().find_map(|line| line.strip_prefix(ANSWER)).unwrap().to_owned()
}

#[test]
fn role() {
    let Ok(role) = env::var(ROLE) else { return };
    let (role, argument) = role.split_once(' ').unwrap();
    match role {
        "server" => block_on(serve(argument)),
        "save" => crate::together::save_as_child(argument),
        "stream" => crate::together::stream_as_child(argument),
        other => panic!("{other} is no role"),
    }
}

async fn serve(root: &str) {
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root).unwrap());
    builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
    let service = builder.build();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    println!("\nanswer: {}", listener.local_addr().unwrap().port());
    // S3 creates or refuses in one step, together with the metadata; `s3s-fs` looks first and writes then.
    let turn = Arc::new(RwLock::new(()));
    loop {
        let (socket, _) = listener.accept().await.unwrap();
        let (service, turn) = (service.clone(), turn.clone());
        tokio::spawn(async move {
            let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
                let (service, turn) = (service.clone(), turn.clone());
                async move {
                    let answer = if request.method() == Method::PUT && request.headers().contains_key("if-none-match") {
                        let _turn = turn.write().await;
                        Service::call(&service, request).await
                    } else {
                        let _turn = turn.read().await;
                        Service::call(&service, request).await
                    };
                    Ok::<_, Infallible>(answer.unwrap())
                }
            });
            let _ = http1::Builder::new().serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
