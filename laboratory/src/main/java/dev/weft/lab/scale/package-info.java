/** What simulating a large cluster costs on this machine: time of one core for each event, memory for each host. Of no paper. */
package dev.weft.lab.scale;
