/**
 * The seam between a fabric in virtual time and the machines of its nodes: {@link dev.weft.fabric.host.HostHardware} makes hosts and adapters
 * that charge for what they do. The laboratory has the models. In real time nothing is charged, because work takes the time that it takes.
 */
package dev.weft.fabric.host;
