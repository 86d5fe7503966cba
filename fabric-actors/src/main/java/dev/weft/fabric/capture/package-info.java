/**
 * Captures: the packets that pass a cable, as RoCEv2 frames of a pcapng file that Wireshark and tshark decode (design section 6): written to a
 * file by the thread on which they pass, or put into a bounded queue for whoever reads it while the fabric runs ({@code CaptureHub}).
 * Invariants: a captured frame carries the ICRC that the same packet has on a trunk; a capture never changes, delays in virtual time or drops
 * what it observes; whoever reads one never holds up the hardware thread, and what does not fit is counted.
 */
package dev.weft.fabric.capture;
