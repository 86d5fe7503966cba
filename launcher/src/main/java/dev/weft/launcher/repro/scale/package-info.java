/** What simulating a large cluster costs on this machine: time of one core for each event, memory for each host. */
package dev.weft.launcher.repro.scale;
