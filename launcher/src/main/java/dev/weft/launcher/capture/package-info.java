/**
 * {@code weft capture}: captures the packets of a perftest by taps on the cables of its nodes, or those of a running fabric, for Wireshark and
 * tshark. Begin with {@link dev.weft.launcher.capture.CaptureCommand}.
 */
package dev.weft.launcher.capture;
