/** Control messages between pager clients and memory servers, little-endian, at fixed offsets (seed 001 section 4.3.1). */
package dev.weft.pager.wire;
