/**
 * The control plane of a fabric: the configuration of the Akka cluster, the serializer of control messages, and the Aeron media driver that all
 * JVMs of a fabric on one host share (docs/internals/decisions/0008). Packets do not pass this package. Begin with {@link
 * dev.weft.fabric.cluster.ClusterConfig} and {@link dev.weft.fabric.cluster.MediaDriverProcess}.
 *
 * <p>Invariants: a control message travels only if its class is registered under a fixed id; at most one media driver is alive in a directory.
 */
package dev.weft.fabric.cluster;
