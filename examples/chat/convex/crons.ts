import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("forget old previews", { seconds: 5 }, internal.previews.forgetOld, {});

export default crons;
