/** The connections of a node to the other nodes: messages, transfers by RDMA, greetings and refusals. Begin with {@link dev.weft.dsm.net.Peers}. */
package dev.weft.dsm.net;
