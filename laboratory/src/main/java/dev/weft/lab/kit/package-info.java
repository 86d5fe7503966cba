/** What simulations from seeds share: draws, what checkers find, audits of links, marks of recovery. */
package dev.weft.lab.kit;
