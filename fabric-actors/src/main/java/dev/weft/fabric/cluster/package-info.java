/**
 * The control plane of a fabric: the Akka cluster configuration, the serializer of control messages and the Aeron media
 * driver that all JVMs of a fabric on one host share (docs/internals/decisions/0008, design sections 3 and 8). Nothing here is on the way of a packet.
 *
 * <p>Invariants: a control message travels only if its class was registered under a fixed id; one media driver is alive
 * in a directory at any time.
 */
package dev.weft.fabric.cluster;
