/**
 * Homes of minipages: who has a copy, who may write, and whose turn it is (seed 000 section 4; its reference 14). Decisions only: time, threads
 * and the network are elsewhere.
 *
 * <p>Invariants: of the requests for a minipage one is served at a time, and is confirmed before the next one; copies are given up before anybody
 * may write; a minipage whose home does nothing with it has one writable copy, or readable ones, or none and is lost.
 */
package dev.weft.dsm.home;
