"""The queue by kind of job, and the recurring jobs."""
