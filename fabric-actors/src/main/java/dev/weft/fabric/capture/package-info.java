/**
 * Captures the packets that pass a cable as RoCEv2 frames of a pcapng file, which Wireshark and tshark decode. Either the thread on which
 * packets pass writes them to a file ({@link dev.weft.fabric.capture.PcapngWriter}), or a bounded queue passes them to a reader while the fabric
 * runs ({@link dev.weft.fabric.capture.CaptureHub}). Begin with these two classes.
 *
 * <p>Invariants: a captured frame carries the ICRC that the same packet has on a trunk; a capture never changes or drops the packets that it
 * observes, and never delays them in virtual time; a reader never makes the hardware thread wait, and packets that do not fit are counted.
 */
package dev.weft.fabric.capture;
