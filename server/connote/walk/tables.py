"""The names that the walk knows: folders of dependencies and output, binary files, lock files, secrets and so on."""

from __future__ import annotations

import re

VERSION_CONTROL_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".jj", ".bzr", ".sl", ".pijul", "_darcs", "CVS", ".repo"},
)

CERTAIN_FOLDERS = frozenset({
    # dependencies
    "node_modules", "bower_components", "jspm_packages", "__pypackages__", "site-packages", ".venv", ".yarn",
    ".pnpm-store", ".bundle", ".eggs", "elm-stuff", ".rustup", ".gem", ".m2", ".ivy2", ".nuget", ".npm",
    # output and caches of build tools and frameworks
    ".next", ".nuxt", ".svelte-kit", ".turbo", ".output", ".parcel-cache", ".angular", ".astro", ".docusaurus",
    ".expo", ".vercel", ".netlify", ".wrangler", ".serverless", ".aws-sam", "cdk.out", ".terraform",
    ".terragrunt-cache", ".gradle", ".bloop", ".metals", ".bsp", ".dart_tool", ".pub-cache", ".stack-work",
    "dist-newstyle", ".cabal-sandbox", ".cxx", ".externalNativeBuild", "CMakeFiles", ".ccls-cache", ".clangd",
    ".zig-cache", "zig-cache", "zig-out", ".shadow-cljs", ".cpcache", ".spago", ".elixir_ls", ".lexical",
    ".nyc_output", ".sass-cache", ".jekyll-cache", ".build", ".swiftpm", "DerivedData", ".direnv", ".devenv",
    ".cache",
    # caches of Python's tools
    "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".pytype", ".hypothesis",
    ".ipynb_checkpoints",
    # what editors and systems leave
    ".idea", ".vscode", ".vs", ".history", ".Trash", ".Trashes", ".Spotlight-V100", ".fseventsd", "$RECYCLE.BIN",
    "System Volume Information", "lost+found",
})  # fmt: skip
"""Nothing in a folder of this name was written for the project, unless git tracks it."""

LIKELY_FOLDERS = frozenset({
    "build", "dist", "target", "out", "_build", "vendor", "venv", "coverage", "htmlcov", "Pods", "Carthage",
})  # fmt: skip
"""As a rule output or dependencies, but also a name that a project may use."""

LIKELY_TOGETHER = {"bin": "obj", "obj": "bin"}
"""Output when they lie side by side, as .NET leaves them; `bin` alone is mostly scripts."""

MARKERS = ("CACHEDIR.TAG", "pyvenv.cfg", "conda-meta")
"""A folder with one of these in it is a cache or a virtual environment, whatever its name."""

BARE_REPOSITORY = ("HEAD", "objects", "refs")
"""A folder with all of these in it is a bare git repository."""

KERNEL_FOLDERS = frozenset({"/proc", "/sys", "/dev"})
"""Files there are not on any disk; reading some of them waits for ever."""

SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".password-store"})

BINARY_EXTENSIONS = frozenset(
    """
    png jpg jpeg jpe gif bmp ico icns webp avif heic heif tif tiff psd psb xcf ai sketch raw cr2 nef dng tga dds
    exr ktx ktx2 astc pvr cur ani
    mp3 mp4 m4a m4v aac ac3 aiff flac ogg oga ogv opus wav wma wmv webm mkv mov avi mpg mpeg flv 3gp mid midi
    ttf otf woff woff2 eot pfb pfm
    zip gz tgz bz2 tbz2 xz txz zst lz lz4 lzma 7z rar tar cab iso dmg img deb rpm apk aab ipa msi jar war ear aar whl
    egg gem nupkg crx xpi vsix appimage br z
    pyc pyo pyd so dylib dll exe o a ko elf wasm class dex bin pdb ilk gch pch idb ncb suo rlib
    rmeta beam node luac nib gmo
    pdf doc docx xls xlsx ppt pptx odt ods odp rtf pages numbers keynote epub mobi chm djvu
    db db3 sqlite sqlite3 sqlite-wal sqlite-shm mdb accdb ibd rdb ldb
    npy npz pkl pickle joblib h5 hdf5 rds rdata feather parquet orc avro arrow onnx pth ckpt safetensors gguf ggml
    tflite mlmodel caffemodel tfrecord
    blend fbx glb 3ds max mb dwg dxf skp usdz unitypackage uasset umap pak
    swp swo swn pcap pcapng dmp hprof lockb nes rom sav
    """.split()  # noqa: SIM905 - a hundred quotes are harder to read
)

DATA_EXTENSIONS = frozenset(
    """
    svg eps stl ply csv tsv psv jsonl ndjson geojson topojson log ics vcf gltf dae srt vtt sdf pdbqt fasta fastq fa gpx
    kml
    """.split()  # noqa: SIM905 - as above
)

LOCK_FILES = frozenset({
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "pnpm-lock.yml", "packages.lock.json",
    "project.assets.json", "go.sum", "go.work.sum", "conda-lock.yml", "gems.locked", "package.resolved",
    "cartfile.resolved", "cabal.project.freeze", ".terraform.lock.hcl",
})  # fmt: skip
"""In lower case."""

LOCK_EXTENSIONS = frozenset({"lock", "lockfile"})

GENERATED = re.compile(
    r".*_pb2(_grpc)?\.pyi?|.*\.pb\.(go|h|cc|c|swift|dart|rb)|.*\.pb\.gw\.go|.*_grpc\.pb\.go|.*_(grpc_)?pb\.(js|d\.ts)"
    r"|.*\.(map|snap|tsbuildinfo)|.*\.(g|freezed|gr|mocks)\.dart|.*\.(designer|g|g\.i)\.cs|.*\.generated\.\w+"
    r"|zz_generated\..*|.*\.gen\.(go|ts|rs)|moc_.*\.cpp|qrc_.*\.cpp"
)
"""Of a name in lower case."""

MINIFIED = re.compile(r".*[.-]min\.(js|mjs|cjs|css|html|json)")
"""Of a name in lower case."""

KEY = re.compile(
    r".*\.(pem|key|p12|pfx|p8|pk8|jks|keystore|kdbx|kdb|ppk|gpg|pgp|ovpn|mobileprovision)"
    r"|id_(rsa|dsa|ecdsa|ed25519)(_sk)?([.\-_].*)?"
)
"""Of a name in lower case: what holds a key, and is never a mere pattern to fill in."""

SECRET = re.compile(
    r"(.*/)?("
    r"\.env|\.env\..*|[^/]*\.env|\.envrc|\.git-credentials|[._]netrc|\.npmrc|\.yarnrc|\.pypirc|\.renviron|\.pgpass|\.my\.cnf"
    r"|\.mylogin\.cnf|\.htpasswd|\.dockercfg|\.dockerconfigjson|\.s3cfg|\.boto|\.vault[_-](pass|password|token)[^/]*"
    r"|[^/]*\.(tfstate|tfvars|kubeconfig)|[^/]*\.tfstate\.[^/]*|[^/]*\.tfvars\.json|kubeconfig"
    r"|credentials(\.(json|ya?ml|toml|ini|xml|csv))?|secrets?\.(json|ya?ml|toml|ini|xml)"
    r"|client_secrets?[^/]*\.json|service[-_]?account[^/]*\.json|application_default_credentials\.json"
    r"|local\.settings\.json"
    r"|\.(aws|kube)/config|\.docker/config\.json|\.azure/[^/]*(token|profile)[^/]*\.json"
    r")"
)
"""Of a path in lower case: where tools keep their credentials."""

NOT_SECRET = re.compile(r"(.*[._-])?(examples?|samples?|templates?|tmpl|tpl|dist|defaults?|schema)(\.\w+)?")
"""Of a name in lower case: a pattern to fill in, without the values."""

PROSE_EXTENSIONS = frozenset(
    "md markdown mdx mdown rst txt text adoc asciidoc asc org tex textile wiki rmd qmd pod rdoc".split()  # noqa: SIM905 - as above
)
"""Where a line is a paragraph."""

SETTINGS_LANGUAGES = frozenset(
    {None, "text", "json", "yaml", "toml", "ini", "properties", "xml", "dotenv", "hcl", "terraform"}
)
"""Where a token is a setting; None is what no language is known of."""
