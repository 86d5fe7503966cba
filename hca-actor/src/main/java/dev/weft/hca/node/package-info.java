/**
 * Fabrics and their nodes. A node is one host of the fabric with its HCA, connection manager and roles (design section 3). Begin with {@link
 * dev.weft.hca.node.Fabric} and {@link dev.weft.hca.node.Node}; {@link dev.weft.hca.node.NodeActor} runs a node.
 */
package dev.weft.hca.node;
