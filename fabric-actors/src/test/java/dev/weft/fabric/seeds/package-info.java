/** Which seeds simulations of all modules run: fixed ones, those that once failed, and others with each version of the sources. */
package dev.weft.fabric.seeds;
