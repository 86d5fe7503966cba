/**
 * Captures: the packets that pass a cable, written as RoCEv2 frames to a pcapng file that Wireshark and tshark decode
 * (design section 6). Invariants: a captured frame carries the ICRC that the same packet has on a trunk; a capture
 * never changes, delays in virtual time or drops what it observes.
 */
package dev.weft.fabric.capture;
