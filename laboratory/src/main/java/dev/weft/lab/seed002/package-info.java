/** Seed 002, PVFS over InfiniBand: verbs (Table 2), local files (Table 3) and the strategies of registration. */
package dev.weft.lab.seed002;
