/** The fabric: packets, links, switch ports, subnet manager, nodes, clocks and dispatchers (design section 2). */
package dev.weft.fabric;
