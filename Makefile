# SPDX-License-Identifier: Apache-2.0
.PHONY: build
build:
	swift build
