/** A node: one host of the fabric, its HCA, connection manager and roles (design section 3). */
package dev.weft.hca.node;
