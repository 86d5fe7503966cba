/** Tripwires as a {@link dev.weft.service.Service}: which nodes of a JVM have a CLAN NIC, and what is shown of it. */
package dev.weft.tripwire.service;
