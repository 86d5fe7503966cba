/** Who is on the fabric: nodes by name, their LIDs and where their connection managers are. */
package dev.weft.fabric.node;
