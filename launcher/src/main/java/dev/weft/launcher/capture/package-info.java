/** {@code weft capture}: a command run with taps on the cables of its nodes, so that Wireshark and tshark show what went over them. */
package dev.weft.launcher.capture;
