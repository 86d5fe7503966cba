/**
 * The objects of a NIC in memory that programs share with it: apertures, Tripwires, endpoints, DMA queues, event queues, and their tables. They call
 * their NIC through {@link dev.weft.tripwire.driver.Driver} and {@link dev.weft.tripwire.driver.DeviceView}.
 */
package dev.weft.tripwire.driver;
