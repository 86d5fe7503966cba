/**
 * {@code weft capture}: a command run with taps on the cables of its nodes, or the cables of a fabric that runs, so that Wireshark and
 * tshark show what goes over them.
 */
package dev.weft.launcher.capture;
