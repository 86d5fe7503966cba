/**
 * Control messages between pager clients and memory servers, little-endian, at fixed offsets (HPBD section 4.3.1). Begin with {@link
 * dev.weft.pager.wire.Handshake} and {@link dev.weft.pager.wire.PagerRequest}.
 */
package dev.weft.pager.wire;
